"""Sanitizers that train neural networks: TimeGAN, adversarial noise, genetic noise.

None of them claims differential privacy. They need PyTorch when they run, but not before.
"""
