"""Sanitizers that train neural networks: TimeGAN, adversarial noise, genetic noise.

None of them claims differential privacy. PyTorch is needed to run them, and not before.
"""
